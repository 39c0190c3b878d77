import { explainFailures, scopeOf, textResult, type Tool } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import type { TodoDetails } from './api.ts';
import type { PlanningHost } from './host.ts';
import { prompts } from './prompts/index.ts';
import { applyOperations, isOpen, planText, tasksOf, type TodoOperation } from './todo-plan.ts';

const OPERATIONS: readonly TodoOperation['op'][] = ['init', 'append', 'start', 'done', 'drop', 'rm', 'note'];

/** The tool with which the model keeps its plan. */
export function createTodoTool({ store, folders }: Pick<PlanningHost, 'store' | 'folders'>): Tool {
  const text = (description: string) => Type.Optional(Type.String({ description }));
  const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
  return explainFailures({
    description: prompts.todoWrite(),
    parameters: Type.Object(
      {
        ops: Type.Array(
          Type.Object(
            {
              op: Type.Unsafe<TodoOperation['op']>({ type: 'string', enum: OPERATIONS }),
              phases: Type.Optional(
                Type.Array(
                  Type.Object(
                    { name: Type.String(), tasks: Type.Array(Type.String()) },
                    { additionalProperties: false },
                  ),
                  { description: 'init' },
                ),
              ),
              items: list('append; init without phases'),
              task: text('Text or id of a task'),
              phase: text('Name of a phase'),
              text: text('note'),
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, call) {
      const { session } = scopeOf(call, folders);
      const before = new Map(tasksOf(store.phases(session)).map((task) => [task.id, task]));
      const phases = await store.set(session, applyOperations(store.phases(session), input['ops'] as TodoOperation[]), {
        silent: true,
      });
      const completed = tasksOf(phases).filter(
        ({ id, status }) => status === 'completed' && before.get(id)?.status !== 'completed',
      );
      const details: TodoDetails = {
        phases,
        storage: store.isKept(session) ? 'session' : 'memory',
        ...(completed.length > 0 && { completedTasks: completed.map(({ content }) => content) }),
      };
      const open = tasksOf(phases).filter(isOpen).length;
      const head = phases.length === 0 ? 'The plan is empty.' : open === 0 ? 'Everything is done.' : `${open} to do.`;
      return textResult([head, planText(phases)].filter(Boolean).join('\n\n'), { ...details });
    },
  });
}
