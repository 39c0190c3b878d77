import { renderPrompt } from '@tenon/prompts';
import calledSkill from './called-skill.md';
import skillList from './skill-list.md';
import triggeredSkills from './triggered-skills.md';

/** The texts for the model. */
export const prompts = {
  skillList: (values: { skills: readonly { name: string; description: string }[]; leftOut: number }) =>
    renderPrompt(skillList, values),
  triggeredSkills: (values: {
    whole: readonly { name: string; body: string }[];
    named: readonly { name: string; description: string }[];
  }) => renderPrompt(triggeredSkills, values),
  calledSkill: (values: { name: string; body: string; file: string; args: string }) =>
    renderPrompt(calledSkill, values),
};
