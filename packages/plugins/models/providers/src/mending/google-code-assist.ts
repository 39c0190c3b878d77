import { GoogleMender } from './google-generative-ai.ts';
import type { Fields } from './values.ts';
import { isFields } from './values.ts';

/** Takes the answers of Code Assist out of their envelope. */
export class CodeAssistMender extends GoogleMender {
  override take(event: Fields): readonly Fields[] {
    const { response } = event;
    return super.take(isFields(response) ? response : event);
  }
}
