import type { LlmCall } from './llm-call.js';
import { type ConversationFacts, readFacts } from './conversation-facts.js';

/**
 * A call that is ready to be stored. Its conversation is already JSON: objects would be kept in memory and copied by
 * the garbage collector until the batch is written, and would be serialised while the batch holds its locks.
 */
export type PackedCall = Omit<LlmCall, 'input' | 'output'> & {
  input: string;
  output: string;
  facts: ConversationFacts;
};

export function packCall(call: LlmCall): PackedCall {
  return {
    provider: call.provider,
    model: call.model,
    answeredBy: call.answeredBy ?? null,
    apiType: call.apiType,
    functionName: call.functionName,
    input: JSON.stringify(call.input),
    output: JSON.stringify(call.output),
    facts: readFacts(call),
    parameters: call.parameters,
    usage: call.usage,
    reportedPrice: call.reportedPrice,
    status: call.status,
    errorType: call.errorType,
    errorMessage: call.errorMessage,
    tags: call.tags,
    metadata: call.metadata,
    promptInputVariables: call.promptInputVariables,
    prompt: call.prompt,
  };
}
