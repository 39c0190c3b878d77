import { defineErrors } from '@tenon/kernel';

/** What can go wrong between here and the web. */
export const errors = defineErrors('web-tools', {
  WEB_ADDRESS: {
    summary: '"{url}" cannot be read: {reason}.',
    next: 'Give an address that starts with https:// or http://.',
  },
  WEB_PRIVATE: {
    summary: '{host} is an address of this machine or of a private network ({address}), which pages must not reach.',
    next: 'If it is meant, allow it in your own settings: `tenon config set web-tools.allowHosts \'["{host}"]\'`.',
  },
  WEB_REDIRECT: {
    summary: '"{url}" sends its reader on to "{to}", which is not followed: {reason}.',
    next: 'Read that address yourself if it is the right one.',
  },
  WEB_UNREACHABLE: {
    summary: '{host} cannot be reached: {reason}.',
    next: 'Check the address; try again later or read another source.',
  },
  WEB_TIMEOUT: {
    summary: '{host} did not answer within {seconds} seconds.',
    next: 'Try again with a longer timeout, or read another source.',
  },
  WEB_TOO_LARGE: {
    summary: '"{url}" is larger than {limit}.',
    next: 'Read a smaller part of it, or raise the setting web-tools.maxMegabytes.',
  },
  WEB_STATUS: {
    summary: '{host} answered {status} for "{url}".{excerpt}',
    next: '{hint}',
  },
  WEB_ENCODING: {
    summary: 'The answer of {host} cannot be unpacked: {reason}.',
    next: 'Try again; if it stays so, the server is broken.',
  },
  WEB_CONVERSION: {
    summary: '"{url}" could not be made readable within {seconds} seconds.',
    next: 'Read it raw, or read another source.',
  },
  WEB_ALLOW_HOSTS: {
    summary: 'The setting web-tools.allowHosts has "{entry}", which is not a host, host:port or address range.',
    next: 'Write entries like "localhost:3000", "wiki.example.org" or "10.0.0.0/8".',
  },
  WEB_SEARCH_NO_ENGINE: {
    summary: 'No search engine can be used: none has a key.',
    next: 'Set one of {variables}, or log in: `tenon auth login brave`. A SearXNG server needs no key: set SEARXNG_ENDPOINT.',
  },
  WEB_SEARCH_ENGINE_UNKNOWN: {
    summary: 'There is no search engine "{engine}".{hint}',
    next: 'Use one of these: {engines}; or leave it out.',
  },
  WEB_SEARCH_NO_KEY: {
    summary: '{engine} needs a key.',
    next: 'Set {variables}, or leave the engine out to use another one.',
  },
  WEB_SEARCH_REFUSED: {
    summary: '{engine} answered {status}: {reason}.',
    next: '{hint}',
  },
  WEB_SEARCH_ANSWER: {
    summary: '{engine} gave an answer that is not understood: {reason}.',
    next: 'Try another engine, or check the setting web-tools.search.engines.{id}.baseUrl.',
  },
  WEB_SEARCH_FAILED: {
    summary: 'No search engine gave an answer. {reasons}',
    next: 'Try again later, ask with other words, or set the key of another engine: {variables}.',
  },
});
