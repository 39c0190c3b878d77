/** Corrects what the probe found beside a run by what the run itself ran into. */
import type { DiagnosticReport } from '@tenon/workers/api';
import type { RunFault } from './after-session.ts';

const LIMIT_WORDS =
  /\b429\b|too many requests|rate.?limit|quota (?:exceeded|exhausted)|usage limit|resource.?exhausted/i;

/** The report, with the check of the rate limit failed when the error says so, whatever the probe saw before. */
export function correctDiagnostics(report: DiagnosticReport, { fault, message }: RunFault): DiagnosticReport {
  const isLimited = fault === 'rate-limit' || fault === 'quota' || LIMIT_WORDS.test(message);
  const isRefused = fault === 'auth' || fault === 'login-needed';
  return {
    ...report,
    checks: report.checks.map((check) => {
      if (isLimited && check.id === 'rate-limit' && check.status !== 'fail')
        return { ...check, status: 'fail', message: `The run itself reached a limit: ${message}` };
      if (isRefused && check.id === 'key-valid' && check.status !== 'fail')
        return { ...check, status: 'fail', message: `The run itself was refused: ${message}` };
      return check;
    }),
  };
}
