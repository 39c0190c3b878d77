/** The addon's maps of code. */
import type { Addon } from '../addon.ts';
import { callNative } from '../task.ts';
import { CODE_MAP_DEFAULTS, type CodeMapAnswer, type CodeMaps } from './contract.ts';
import { wholeNumber } from './request.ts';

/** Adapts the addon to the contract. */
export function fromAddon(addon: Addon): CodeMaps {
  return {
    open({ root, store, maxFileBytes, maxFiles, watch = true }) {
      const map = new addon.NativeCodeMap(
        root,
        store,
        wholeNumber(maxFileBytes, CODE_MAP_DEFAULTS.maxFileBytes),
        wholeNumber(maxFiles, CODE_MAP_DEFAULTS.maxFiles),
        watch,
      );
      return {
        async map({ budget, scope = '', focus = [], ...limits } = {}): Promise<CodeMapAnswer> {
          const request = { budget: wholeNumber(budget, CODE_MAP_DEFAULTS.budget), scope, focus };
          return JSON.parse(await callNative(addon, (cancel) => map.map(JSON.stringify(request), cancel), limits));
        },
        async close() {
          await callNative(addon, () => map.close());
        },
      };
    },
  };
}
