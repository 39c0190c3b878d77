/** Addresses of Tenon as resources: skills, rules and other things that plugins own, as far as the settings offer them. */
import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { UrlRouter, UrlScope } from '@tenon/urls/api';

/** What reading addresses needs. */
export interface UrlResourcesHost {
  readonly scope: UrlScope;
  /** The schemes that are offered. */
  readonly schemes: readonly string[];
  urls(): Promise<UrlRouter | undefined>;
}

/** Reads addresses of the offered schemes. */
export class UrlResources {
  readonly #host: UrlResourcesHost;

  constructor(host: UrlResourcesHost) {
    this.#host = host;
  }

  /** Whether an address is of a scheme that is offered, and that somebody owns. */
  async has(uri: string): Promise<boolean> {
    return (await this.#router(uri)) !== undefined;
  }

  async read(uri: string, signal: AbortSignal): Promise<ReadResourceResult | undefined> {
    const router = await this.#router(uri);
    if (!router) return undefined;
    const { content, bytes, contentType } = await router.read(uri, { signal, scope: this.#host.scope, raw: true });
    const about = { uri, mimeType: contentType ?? (bytes ? 'application/octet-stream' : 'text/plain') };
    return {
      contents: [bytes ? { ...about, blob: Buffer.from(bytes).toString('base64') } : { ...about, text: content }],
    };
  }

  /** The file behind an address, to watch it. */
  async fileOf(uri: string, signal: AbortSignal): Promise<string | undefined> {
    return (await this.#router(uri))?.locate(uri, { signal, scope: this.#host.scope });
  }

  async templates(): Promise<ResourceTemplateType[]> {
    const offered = (await this.#host.urls())?.list().filter(({ scheme }) => this.#host.schemes.includes(scheme)) ?? [];
    return offered.map(({ scheme, description }) => ({
      uriTemplate: `${scheme}://{+path}`,
      name: scheme,
      ...(description !== undefined && { description }),
    }));
  }

  async #router(uri: string): Promise<UrlRouter | undefined> {
    const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri) ?? [];
    if (!this.#host.schemes.includes(scheme.toLowerCase())) return undefined;
    const router = await this.#host.urls();
    return router?.schemeOf(uri) === undefined ? undefined : router;
  }
}
