/** Files that the code imports as text: prompts, and what is run in other languages. esbuild and vitest do the same. */
declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.py' {
  const text: string;
  export default text;
}

declare module '*.text' {
  const text: string;
  export default text;
}
