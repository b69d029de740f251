//! Diagnostics as compile errors and warnings on the user's own tokens.

use dedalus_syntax::{Diagnostic, Diagnostics, SHOWN, Severity, Span, more};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

/// Every error, each on its tokens. Warnings wait until the program compiles.
pub fn errors(diagnostics: &Diagnostics, spans: &[proc_macro2::Span]) -> TokenStream {
    let errors = of(diagnostics, Severity::Error);
    let shown = errors.iter().take(SHOWN).map(|d| (d.span, text(d, spans)));
    // What is only counted is told at the first that is not shown.
    let counted = more(&errors).map(|more| (errors[SHOWN].span, more));
    let told = shown.chain(counted);
    told.map(|(span, text)| syn::Error::new_spanned(tokens(span, spans), text).to_compile_error()).collect()
}

/// Every warning, each on its first token.
pub fn warnings(diagnostics: &Diagnostics, spans: &[proc_macro2::Span]) -> TokenStream {
    let warnings = of(diagnostics, Severity::Warning);
    let shown = warnings.iter().take(SHOWN).map(|d| (d.span, text(d, spans)));
    let counted = more(&warnings).map(|more| (warnings[SHOWN].span, more));
    let told = shown.chain(counted).enumerate();
    told.map(|(i, (span, text))| warning(i, &text, ends(span, spans).0)).collect()
}

fn of(diagnostics: &Diagnostics, severity: Severity) -> Vec<&Diagnostic> {
    diagnostics.sorted().into_iter().filter(|d| d.severity == severity).collect()
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
