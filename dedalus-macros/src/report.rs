//! Diagnostics as compile errors and warnings on the user's own tokens.

use dedalus_syntax::diagnostic::{Diagnostic, Diagnostics, Severity};
use dedalus_syntax::span::Span;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

/// Every error, each on its tokens. Warnings wait until the program compiles.
pub fn errors(diagnostics: &Diagnostics, spans: &[proc_macro2::Span]) -> TokenStream {
    let errors = diagnostics.sorted().into_iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| syn::Error::new_spanned(tokens(d.span, spans), text(d, spans)).to_compile_error()).collect()
}

/// Every warning, each on its first token.
pub fn warnings(diagnostics: &Diagnostics, spans: &[proc_macro2::Span]) -> TokenStream {
    let warnings = diagnostics.sorted().into_iter().filter(|d| d.severity == Severity::Warning);
    warnings.enumerate().map(|(i, d)| warning(i, &text(d, spans), ends(d.span, spans).0)).collect()
}

/// A warning, as the use of something deprecated: the one warning that stable macros can give.
pub fn warning(number: usize, note: &str, span: proc_macro2::Span) -> TokenStream {
    let name = format_ident!("dedalus_warning_{number}", span = span);
    let use_it = quote_spanned!(span=> let _ = #name;);
    quote! {
        const _: () = {
            #[deprecated(note = #note)]
            #[allow(non_upper_case_globals)]
            const #name: bool = true;
            #use_it
        };
    }
}

fn text(diagnostic: &Diagnostic, spans: &[proc_macro2::Span]) -> String {
    let mut text = diagnostic.message.clone();
    for (span, note) in &diagnostic.notes {
        let line = ends(*span, spans).0.start().line;
        // Without line information (an old compiler) the words alone must do.
        text += &if line == 0 { format!("\nnote: {note}") } else { format!("\nnote: {note} (line {line})") };
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("\nhelp: {help}");
    }
    text
}

/// The compiler's spans of the first and last token.
fn ends(span: Span, spans: &[proc_macro2::Span]) -> (proc_macro2::Span, proc_macro2::Span) {
    let at = |i: u32| spans.get(i as usize).copied().unwrap_or_else(proc_macro2::Span::call_site);
    (at(span.lo), at(span.hi.saturating_sub(1).max(span.lo)))
}

/// Tokens that stretch over a span, for `new_spanned`, which joins the first and the last.
fn tokens(span: Span, spans: &[proc_macro2::Span]) -> TokenStream {
    let (first, last) = ends(span, spans);
    let (a, b) = (quote_spanned!(first=> a), quote_spanned!(last=> b));
    quote!(#a #b)
}
