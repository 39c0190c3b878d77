/** What `tenon doctor` says about the user's grammars of programs. */
import type { DoctorFinding } from '@tenon/doctor/api';
import { userGrammars } from './proof/user-grammars.ts';

/** Looks at the folder with grammars. */
export async function grammarFindings(folder: string): Promise<readonly DoctorFinding[]> {
  const { grammars, mistakes } = await userGrammars(folder);
  const names = [...grammars.keys()].sort();
  const text = names.length === 0 ? `none of your own (${folder})` : names.join(', ');
  return [
    { name: 'programs', status: 'ok', text },
    ...mistakes.map((mistake): DoctorFinding => ({
      name: 'mistake',
      status: 'warning',
      text: mistake,
      next: `Correct the file in ${folder}. Until then its programs are not understood.`,
    })),
  ];
}
