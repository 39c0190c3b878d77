import { renderPrompt } from '@tenon/prompts';
import { fencedText, tagValue } from '@tenon/wording';
import calledSkill from './called-skill.md';
import skillList from './skill-list.md';
import triggeredSkills from './triggered-skills.md';

function listed({ name, description }: { name: string; description: string }) {
  return { name: tagValue(name), description: fencedText(description) };
}

/** The texts for the model. */
export const prompts = {
  skillList: (values: { skills: readonly { name: string; description: string }[]; leftOut: number }) =>
    renderPrompt(skillList, { ...values, skills: values.skills.map(listed) }),
  triggeredSkills: (values: {
    whole: readonly { name: string; body: string }[];
    named: readonly { name: string; description: string }[];
  }) =>
    renderPrompt(triggeredSkills, {
      whole: values.whole.map(({ name, body }) => ({ name: tagValue(name), body: fencedText(body) })),
      named: values.named.map(listed),
    }),
  calledSkill: (values: { name: string; body: string; file: string; args: string }) =>
    renderPrompt(calledSkill, { ...values, name: tagValue(values.name), body: fencedText(values.body) }),
};
