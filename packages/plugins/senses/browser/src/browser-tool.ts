/** What models see of the tool. Its work is loaded when it is called. */
import type { Folders } from '@tenon/host';
import { explainFailures, scopeOf, type Tool } from '@tenon/tools/api';
import type { BrowserSettings } from './generated/settings.ts';
import { prompts } from './prompts/index.ts';
import { parameters } from './steps.ts';
import { touchesOfCall } from './touches.ts';

/** Makes the tool. */
export function createBrowserTool(
  config: Pick<BrowserSettings, 'files' | 'cdpUrl'>,
  folders: Pick<Folders, 'cwd'>,
  execute: Tool['execute'],
): Tool {
  const about = config.cdpUrl === '' ? 'Chromium, with a profile of its own' : "the user's own, with their logins";
  return explainFailures({
    description: prompts.browser({ about }),
    parameters,
    touches: (input, call) =>
      touchesOfCall(input, {
        cwd: scopeOf(call, folders).cwd,
        files: config.files,
        partial: call.partial === true,
      }),
    execute,
  });
}
