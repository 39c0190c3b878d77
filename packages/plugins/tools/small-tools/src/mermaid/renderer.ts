/** In a module of its own, so that the library is loaded with the first diagram and not before. */
export { renderMermaidASCII, renderMermaidSVG } from 'beautiful-mermaid';
