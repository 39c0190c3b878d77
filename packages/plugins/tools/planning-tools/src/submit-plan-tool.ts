import { Type } from '@tenon/kernel';
import { explainFailures, type Tool } from '@tenon/tools/api';
import { errors } from './errors.ts';
import type { PlanDesk } from './plan-approval.ts';
import { MAX_PLAN_CHARS, type PlanFiles } from './plan-file.ts';
import type { PlanModes } from './plan-mode.ts';
import { prompts } from './prompts/index.ts';

/** The name of the tool; it is offered while a session plans. */
export const SUBMIT_PLAN = 'submit_plan';

/** Shows the plan to the user, who approves, changes or refuses it. */
export function createSubmitPlanTool(plans: PlanModes, files: PlanFiles, desk: PlanDesk): Tool {
  return explainFailures({
    description: prompts.submitPlan(),
    parameters: Type.Object(
      {
        title: Type.String({ minLength: 1, maxLength: 120, description: 'What the plan is for, in a few words' }),
        plan: Type.Optional(
          Type.String({ maxLength: MAX_PLAN_CHARS, description: 'The plan in Markdown; without it, plan:// as it is' }),
        ),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, { scope, signal }) {
      const { title, plan = '' } = input as { title: string; plan?: string };
      if (!scope) throw errors.create('PLANNING_TOOLS_NO_SESSION', { tool: SUBMIT_PLAN });
      // A subagent is held to planning by its parent, which the user talks to.
      if (!plans.isOwn(scope.session)) throw errors.create('PLANNING_TOOLS_NOT_PLANNING');
      if (plan.trim() !== '') await files.write({ session: scope.session, cwd: scope.cwd }, plan);
      return desk.submit(scope.session, title, signal);
    },
  });
}
