//! Terminal, SVG, HTML, DOT, Mermaid and JSON views of a verdict.
