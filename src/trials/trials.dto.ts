import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import type { Message, Prompt } from '../llm/shared/blueprint.js';
import { newMessage } from '../llm/shared/blueprint.js';
import { MessageSchema, ModelSchema, PromptSchema } from '../llm/shared/blueprint.schema.js';
import { outputText } from '../llm/records/conversation.js';
import { CallInputTokensField, CallOutputTokensField, SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, EnumField, IntegerField, MAX_ID, NumberField, TextField } from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject } from '../platform/json.js';
import type { Trial } from './trial.js';

interface AskedModel {
  provider: string;
  name: string;
  parameters: JsonObject;
  api_type: string | null;
}

export class TrialRequest {
  @SchemaField(PromptSchema, {
    optional: true,
    nullable: true,
    description:
      'The prompt to send: a chat with its tools, or a text to complete. Give either this, or a prompt of the registry by `prompt_id` or `prompt_name`.',
    example: {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Greet {name} in one sentence.' }] }],
    },
  })
  prompt?: Prompt | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The id of a prompt of the registry.',
  })
  prompt_id?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 512,
    description: 'The name of a prompt of the registry.',
  })
  prompt_name?: string | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The number of the version of that prompt. Default: the latest.',
  })
  version?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'A release label of that prompt, in place of `version`.',
  })
  label?: string | null;

  @SchemaField(ModelSchema, {
    optional: true,
    nullable: true,
    description:
      'The model to ask, by default the one of the version of the prompt. Its parameters are laid over those of the version.',
    example: { provider: 'tracesheet', name: 'echo' },
  })
  model?: AskedModel | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 100,
    description:
      'Name of the model credential to use. By default the one of the provider that is called "default", or its only one.',
  })
  credential?: string | null;

  @SchemaField(z.record(z.string(), z.unknown()), {
    optional: true,
    nullable: true,
    description:
      'The values of the variables, by name. A variable without a value becomes an empty text, and `warning` names it.',
    example: { name: 'Ada' },
  })
  variables?: JsonObject | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description: 'Whether to send the answer as server-sent events while the model writes it.',
  })
  stream?: boolean | null;
}

class TrialModelBody {
  @TextField({ description: 'The provider that was asked.', example: 'openai' })
  provider: string;

  @TextField({ description: 'The model that was asked.', example: 'gpt-4.1-mini' })
  name: string;

  @TextField({ nullable: true, description: 'The model that answered, as the answer names it; null if it does not.' })
  answered_by: string | null;
}

class TrialUsageBody {
  @CallInputTokensField()
  input_tokens: number;

  @CallOutputTokensField()
  output_tokens: number;

  @IntegerField({ nullable: true, description: 'Tokens read from a prompt cache; null if the provider does not say.' })
  cached_tokens: number | null;

  @IntegerField({
    nullable: true,
    description: 'Tokens written to a prompt cache; null if the provider does not say.',
  })
  cache_write_tokens: number | null;

  @IntegerField({
    nullable: true,
    description: 'Tokens used for reasoning, part of `output_tokens`; null if the provider does not say.',
  })
  thinking_tokens: number | null;
}

const END_KINDS = ['whole', 'cut', 'withheld'] as const;

class TrialEndBody {
  @EnumField(END_KINDS, {
    description:
      '`whole`, `cut` if the answer stopped before it was done, or `withheld` if the model or its provider refused it.',
  })
  kind: (typeof END_KINDS)[number];

  @TextField({ description: 'The reason in the words of the provider. Empty for a whole answer.', example: '' })
  reason: string;
}

export class TrialResponse {
  @SuccessField()
  success: true;

  @IntegerField({ nullable: true, description: 'The id of the request log; null if it could not be stored.' })
  request_id: number | null;

  @TextField({ description: 'The trace of the call.', example: '4bf92f3577b34da6a3ce929d0e0e4736' })
  trace_id: string;

  @ApiProperty({ type: () => TrialModelBody, description: 'The model.' })
  model: TrialModelBody;

  @SchemaField(MessageSchema, {
    description: 'The answer as a message of a prompt, with the tools that the model calls. They are not run.',
  })
  message: object;

  @TextField({ description: 'The text of the answer; the tool calls as JSON if it has no text.' })
  text: string;

  @ApiProperty({ type: () => TrialUsageBody, description: 'The tokens of the call.' })
  usage: TrialUsageBody;

  @NumberField({ nullable: true, description: 'The cost in US dollars; null if no price of the model is known.' })
  cost_usd: number | null;

  @NumberField({ description: 'The time from the start of the call to the end of the answer, in milliseconds.' })
  latency_ms: number;

  @NumberField({
    nullable: true,
    description:
      'The time until the first piece of the answer, in milliseconds, thoughts and tool calls included; null if the answer was not streamed.',
  })
  first_token_ms: number | null;

  @ApiProperty({ type: () => TrialEndBody, description: 'How the answer ended.' })
  end: TrialEndBody;

  @TextField({
    nullable: true,
    description:
      'Problems with the request that did not prevent the answer, such as a variable without a value; null for none.',
  })
  warning: string | null;
}

export function toTrialResponse({ provider, model }: { provider: string; model: string }, trial: Trial): TrialResponse {
  const { traceId, made, firstPieceMs, log, warning } = trial;
  const { output, usage, end, answeredBy } = made.reading;
  return {
    success: true,
    request_id: log.requestId,
    trace_id: traceId,
    model: { provider, name: model, answered_by: answeredBy },
    message: answerOf(output),
    text: outputText(output),
    usage: {
      input_tokens: usage.input ?? 0,
      output_tokens: usage.output ?? 0,
      cached_tokens: usage.cached,
      cache_write_tokens: usage.cacheWrite,
      thinking_tokens: usage.thinking,
    },
    cost_usd: log.price,
    latency_ms: made.endMs - made.startMs,
    first_token_ms: firstPieceMs === null ? null : firstPieceMs - made.startMs,
    end: { kind: end.kind as TrialEndBody['kind'], reason: end.reason },
    warning,
  };
}

/** The first of several answers. */
function answerOf(output: Prompt): Message {
  const empty = newMessage('assistant', null, []);
  return output.type === 'chat' ? (output.messages[0] ?? empty) : { ...empty, content: output.content };
}
