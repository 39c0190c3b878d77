/** `dot -O`: the picture lies beside the graph. */
import type { Check } from '../language.ts';

/** What is written. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const [form] = flags.get('-T') ?? [];
    if (form !== undefined && !/^[a-z]+[\w-]*$/.test(form.value ?? '')) meaning.refuse('a form of pictures', form);
    if (flags.has('-O'))
      for (const { value } of operands)
        if (value === undefined) meaning.refuse('a graph that is only known when it runs');
        else meaning.text('write', `${value}.${form?.value ?? 'dot'}`);
  },
};
