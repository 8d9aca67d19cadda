import { type ChatPrompt, type Message, newChat, newCompletion, type Prompt } from '../llm/shared/blueprint.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import type { NormalizedSpan } from './span.js';
import { readApiType } from './api-type.js';
import type { SpanAttributes } from './attributes.js';
import { readConversation, saysSomething } from './conversation.js';
import { readOutcome } from './errors.js';
import { readMetadata } from './metadata.js';
import { readAnsweringModel, readModel } from './models.js';
import { operationOf } from './operations.js';
import { readParameters } from './parameters.js';
import { readInputVariables, readPromptReference } from './prompt-reference.js';
import { readProvider } from './providers.js';
import { readTags } from './tags.js';
import { readToolChoice, readTools } from './tools.js';
import { readReportedPrice } from './costs.js';
import { readUsage } from './usage.js';

/** The call that a span reports. `attributes` may hold more than the span's own: what its convention implied. */
export function buildCall(span: NormalizedSpan, attributes: SpanAttributes): LlmCall {
  const model = readModel(attributes);
  const provider = readProvider(attributes, model);
  const { input, output, finishReasons, isCompletion: hasNoRoles } = readConversation(span, attributes);
  const isCompletion = hasNoRoles || operationOf(attributes) === 'text_completion';
  return {
    provider: provider ?? 'unknown',
    model: model ?? 'unknown',
    answeredBy: readAnsweringModel(attributes),
    apiType: readApiType(attributes, provider),
    functionName: span.name,
    input: isCompletion ? completion(input) : newChat(input, offeredTools(attributes)),
    output: isCompletion ? completion(output) : newChat(output),
    parameters: readParameters(attributes),
    usage: readUsage(attributes),
    reportedPrice: readReportedPrice(attributes),
    ...readOutcome(span, finishReasons, output.some(saysSomething), attributes),
    tags: readTags(attributes),
    metadata: readMetadata(attributes),
    promptInputVariables: readInputVariables(attributes),
    prompt: readPromptReference(attributes),
  };
}

function offeredTools(attributes: SpanAttributes): Partial<ChatPrompt> {
  return { tools: readTools(attributes), tool_choice: readToolChoice(attributes) };
}

function completion(messages: Message[]): Prompt {
  return newCompletion(messages.flatMap((message) => message.content ?? []));
}
