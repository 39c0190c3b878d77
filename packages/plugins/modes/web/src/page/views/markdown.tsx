/** Markdown as elements: nothing that a model writes becomes HTML of the page. */
import type { Token, Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { tokensOf } from './markdown-tokens.ts';

/** Text with Markdown in it. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return <div class="markdown">{tokens.map(block)}</div>;
}

function block(token: Token): ComponentChildren {
  switch (token.type) {
    case 'heading':
      return <p class={`heading h${(token as Tokens.Heading).depth}`}>{inline(token.tokens)}</p>;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'text':
      return token.tokens ? <>{inline(token.tokens)}</> : token.text;
    case 'code':
      return <CodeBlock text={token.text} language={(token as Tokens.Code).lang ?? ''} />;
    case 'list': {
      const { ordered, items, start } = token as Tokens.List;
      const rows = items.map((item) => <li>{item.tokens.map(block)}</li>);
      return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
    }
    case 'blockquote':
      return <blockquote>{(token.tokens ?? []).map(block)}</blockquote>;
    case 'table':
      return <Table {...(token as Tokens.Table)} />;
    case 'hr':
      return <hr />;
    case 'checkbox':
      return (token as { checked?: boolean }).checked ? '☑ ' : '☐ ';
    case 'space':
      return undefined;
    default:
      return token.raw;
  }
}

function inline(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token) => {
    switch (token.type) {
      case 'strong':
        return <strong>{inline(token.tokens)}</strong>;
      case 'em':
        return <em>{inline(token.tokens)}</em>;
      case 'del':
        return <del>{inline(token.tokens)}</del>;
      case 'codespan':
        return <code>{token.text}</code>;
      case 'br':
        return <br />;
      case 'link':
        return <Link {...(token as Tokens.Link)} />;
      case 'escape':
      case 'text':
        return 'tokens' in token && token.tokens ? inline(token.tokens) : token.text;
      default:
        return token.raw;
    }
  });
}

/** Only addresses that a browser opens harmlessly. */
function Link({ href, tokens }: Tokens.Link): VNode {
  if (!/^https?:\/\//i.test(href)) return <>{inline(tokens)}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {inline(tokens)}
    </a>
  );
}

function CodeBlock({ text, language }: { readonly text: string; readonly language: string }): VNode {
  return (
    <pre class="code" data-language={language} tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}

function Table({ header, rows }: Tokens.Table): VNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th>{inline(tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map(({ tokens }) => (
              <td>{inline(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
