import { defineErrors } from '@tenon/kernel';

/** Every error that the pack host raises. */
export const errors = defineErrors('pack-host', {
  PACK_HOST_NO_SANDBOX: {
    summary: 'Pack "{plugin}" was not started: no sandbox works on this machine ({reasons}).',
    next: 'Install bubblewrap, or let the pack run unprotected with `tenon plugin trust {plugin} --full`.',
  },
  PACK_HOST_START_FAILED: {
    summary: 'Pack "{plugin}" could not be started: {reason}',
    next: 'Correct the pack; `tenon plugin doctor {plugin}` shows its output.',
  },
  PACK_HOST_STOPPED: {
    summary: 'Pack "{plugin}" was stopped: {reason}.',
    next: 'It starts again on its next use; `tenon plugin inspect {plugin}` shows how often this happened.',
  },
  PACK_HOST_GAVE_UP: {
    summary: 'Pack "{plugin}" was stopped {count} times within {minutes} minutes and is not started again: {reason}',
    next: 'Correct the pack, then run `tenon plugin reload {plugin}`, or disable it with `tenon plugin disable {plugin}`.',
  },
  PACK_HOST_CALL_DEADLINE: {
    summary: 'A call into pack "{plugin}" did not finish within {seconds} s.',
    next: 'Allow more time with `tenon config set pack-host.callSeconds N`, or correct the pack.',
  },
  PACK_HOST_BUSY: {
    summary: 'Too many calls are under way between Tenon and pack "{plugin}" (at most {limit}).',
    next: 'Wait for earlier calls before making more.',
  },
  PACK_HOST_NOT_PLAIN: {
    summary: 'A value cannot cross between Tenon and a pack: {path} is {what}.',
    next: 'Pass plain data, bytes, dates, errors, functions, abort signals or async iterables.',
  },
  PACK_HOST_RELEASED: {
    summary: 'A function from the other side was called after its call had ended.',
    next: 'Use functions that come with a call only while that call runs.',
  },
  PACK_HOST_TOKEN_INTERNAL: {
    summary: 'Pack "{plugin}" asked for the {kind} "{id}", which isolated packs may not use.',
    next: 'Use one that is open to packs, or let the pack run in process with `tenon plugin trust {plugin} --full`.',
  },
  PACK_HOST_USE_REFUSED: {
    summary: 'Pack "{plugin}" asked for the {kind} "{id}", with which it could {consent}; nobody has agreed to that.',
    next: 'Declare it in the manifest (contributes, sources, handles or needs); `tenon plugin trust {plugin}` asks the user.',
  },
  PACK_HOST_ENTRY_REFUSED: {
    summary: 'The entry "{key}" of pack "{plugin}" for "{slot}" is not used: {reason}.',
    next: 'Correct the pack; `tenon read docs://design/packs.md` says what its entries may hold.',
  },
  PACK_HOST_LAUNCH_REFUSED: {
    summary: 'Pack "{plugin}" may not run "{command}": {reason}',
    next: 'Name the program in the manifest under permissions.exec; `tenon plugin trust {plugin}` then asks the user.',
  },
  PACK_HOST_NOT_OWN: {
    summary: 'Pack "{plugin}" asked for {what}, which belongs to another plugin.',
    next: 'Isolated packs see what others contribute, but call only their own; declare a service under `needs` instead.',
  },
  PACK_HOST_PROTOCOL: {
    summary: 'Pack "{plugin}" sent something that is not a message: {reason}',
    next: 'The pack must leave file descriptors 3 and 4 alone.',
  },
  PACK_HOST_UNSUPPORTED: {
    summary: 'Pack "{plugin}" uses {what}, which does not work out of process.',
    next: '{instead}',
  },
  PACK_HOST_ENTRY_INVALID: {
    summary: 'The entry "{entry}" of pack "{plugin}" ({folder}) has no plugin as its default export.',
    next: 'Write `export default definePlugin({ id: "{plugin}", … })` with definePlugin from @tenon/kernel.',
  },
  PACK_HOST_PERMISSION_INVALID: {
    summary: 'Permission {key} "{value}" of plugin "{plugin}" ({file}) cannot be granted: {reason}',
    next: '{instead}',
  },
  PACK_HOST_PATH_LEADS_AWAY: {
    summary: 'Permission "{value}" of pack "{plugin}" leads through a link to {real}.',
    next: 'Remove the link, or name the real path in the manifest.',
  },
  PACK_HOST_EXEC_MISSING: {
    summary: 'Pack "{plugin}" may run "{command}", but there is no such program in PATH.',
    next: 'Install it, then run `tenon plugin reload {plugin}`.',
  },
  PACK_HOST_NET_REFUSED: {
    summary: 'Pack "{plugin}" may not connect to {host}: {reason}',
    next: 'Hosts are declared in the manifest under permissions.net; raw sockets are never available to isolated packs.',
  },
  PACK_HOST_NET_FAILED: {
    summary: 'The request of pack "{plugin}" to {url} failed: {reason}',
    next: 'Check the address and the network.',
  },
});
