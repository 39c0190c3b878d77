/** `tenon lsp` */
import type { CommandCall } from '@tenon/command-line/api';
import type { ServerDesk } from '../servers/desk.ts';
import { statusOf, statusText } from './status.ts';

/** `tenon lsp status` */
export async function showStatus(desk: ServerDesk, { io, flags, cwd }: CommandCall): Promise<void> {
  const place = await desk.workplace(cwd);
  const status = await statusOf(desk, place);
  if (flags['json']) return io.json(status);
  await io.out(`${statusText(status, place.cwd)}\n`);
}
