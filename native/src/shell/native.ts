import type { Addon } from '../addon.ts';
import { callNativeSync } from '../task.ts';
import type { NativeShellEvent, ShellEngineEvent } from './addon.ts';
import type { ShellAccelerator } from './contract.ts';
import { overEngines } from './session.ts';

/** The shell accelerator over the addon. */
export function fromAddon(addon: Addon): ShellAccelerator {
  return overEngines({
    openSession(options, onEvent) {
      const engine = callNativeSync(() => new addon.NativeShellSession(options, (event) => onEvent(look(event))));
      const look = viewer(engine);
      return engine;
    },
    openPty(options, onEvent) {
      const engine = callNativeSync(() => new addon.NativePty(options, (event) => onEvent(look(event))));
      const look = viewer(engine);
      return engine;
    },
  });
}

/** Turns slots into views. Events come from the event loop, so the viewer is there before the first of them. */
function viewer(engine: { slab(): Uint8Array; slotBytes(): number }): (event: NativeShellEvent) => ShellEngineEvent {
  const slab = engine.slab();
  const slotBytes = engine.slotBytes();
  return (event) => {
    const { slot, length, ...rest } = event;
    if (slot === undefined || length === undefined) return rest;
    return { ...rest, data: slab.subarray(slot * slotBytes, slot * slotBytes + length), receipt: slot };
  };
}
