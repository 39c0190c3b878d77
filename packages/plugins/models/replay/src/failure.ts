import { messageOf, TenonError } from '@tenon/kernel';
import { AnswerBuilder, type Model, type ProviderFailure, type StreamEvent } from '@tenon/models/api';

/** A fault as the end of a stream. It is nothing that another try would help against. */
export function failedWith(model: Model, fault: unknown): StreamEvent[] {
  return new AnswerBuilder(model).fail(failureOf(fault));
}

/** A fault as a failure of the provider, with what to do next. */
export function failureOf(fault: unknown): ProviderFailure {
  const details = fault instanceof TenonError ? { code: fault.code, next: fault.next } : {};
  return { kind: 'bad-request', message: messageOf(fault), ...details };
}
