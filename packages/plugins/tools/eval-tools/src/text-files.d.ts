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
