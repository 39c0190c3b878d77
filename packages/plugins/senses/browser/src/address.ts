/** Which addresses the browser is sent to. What a page reaches from there is judged by the proxy. */
import { fileURLToPath } from 'node:url';
import { isPrivateHost } from '@tenon/sandbox/api';
import { errors } from './errors.ts';

/** What the settings say about addresses. */
export interface AddressSettings {
  readonly files: boolean;
}

/** The address as the browser takes it; an error when it is none that may be opened. */
export function parseAddress(text: string, { files }: AddressSettings): URL {
  const refuse = (reason: string) => errors.create('BROWSER_ADDRESS', { url: text, reason });
  const url = readAddress(text.trim());
  if (url === undefined) throw refuse('it is not an address');
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return url;
    case 'about:':
      if (url.href === 'about:blank') return url;
      throw refuse('only about:blank is opened');
    case 'file:':
      if (files) return url;
      throw refuse('files of this machine are not opened; the user can allow it with the setting browser.files');
    default:
      throw refuse(`addresses with ${url.protocol} are not opened`);
  }
}

/** The file behind a file:// address, for the gate. */
export function fileOf(url: URL): string | undefined {
  return url.protocol === 'file:' ? fileURLToPath(url) : undefined;
}

/** Whether a tab may stay where its page has taken it. Pages of the browser itself can change it. */
export function isOpenable(address: string, { files }: AddressSettings): boolean {
  if (address === '' || /^(?:https?|about|data|blob|chrome-error):/i.test(address)) return true;
  return files && /^file:/i.test(address);
}

/** People and models write `localhost:3000` and `example.org/page`. */
function readAddress(text: string): URL | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^about:/i.test(text))
    return URL.canParse(text) ? new URL(text) : undefined;
  if (/^[a-z0-9.-]+(?::\d+)?(?:[/?#]|$)/i.test(text) && /[.:]|^localhost/i.test(text)) {
    const bare = `http://${text}`;
    if (!URL.canParse(bare)) return undefined;
    const url = new URL(bare);
    if (!isPrivateHost(url.hostname) && url.port === '') url.protocol = 'https:';
    return url;
  }
  return URL.canParse(text) ? new URL(text) : undefined;
}
