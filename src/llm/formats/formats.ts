import { newChat, newMessage, type Prompt } from '../shared/blueprint.js';
import { withoutCredentials } from '../../platform/credentials.js';
import { outputText } from '../records/conversation.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { textPart } from '../messages/parts.js';
import { toText } from '../messages/json-text.js';
import { anthropicCompletions } from './anthropic-completions.js';
import { anthropicMessages } from './anthropic-messages/read.js';
import { readEnd } from './answer-ends.js';
import { anyFormat } from './any-format.js';
import { bedrockConverse } from './bedrock-converse/read.js';
import { cohere } from './cohere.js';
import { googleContents } from './google-contents/read.js';
import { embeddings, madeMedia } from './generated-media.js';
import type { NativeCall, NativeReading, StreamFormat, VendorFormat } from './shared/vendor-format.js';
import { openAiChat } from './openai-chat/read.js';
import { openAiCompletions } from './openai-chat/openai-completions.js';
import { openAiResponses } from './openai-responses/read.js';

/** Formats that recognise their calls with more certainty come first. */
const FORMATS: VendorFormat[] = [
  madeMedia,
  embeddings,
  anthropicMessages,
  anthropicCompletions,
  bedrockConverse,
  cohere,
  openAiResponses,
  googleContents,
  openAiChat,
  openAiCompletions,
  anyFormat,
];

/** A call as it was reported: arguments with and without names. */
export interface ReportedCall {
  functionName: string;
  provider: string;
  args: JsonValue[];
  kwargs: JsonObject;
  response: JsonValue;
}

/**
 * Reads a call of a vendor's client. Nothing is lost that could not be read: arguments stay among the parameters
 * (those without a name as `args`), and a response of an unknown form becomes a text in the answer, as JSON. Credentials
 * are left out everywhere.
 */
export function readNativeCall(reported: ReportedCall): NativeReading {
  const call = toNativeCall(reported);
  return readAs(
    FORMATS.find((format) => format.reads(call))!,
    call,
  );
}

/** The answer from its streamed chunks alone; null for chunks of no known format. */
export function readStream(chunks: JsonObject[]): Prompt | null {
  const format = FORMATS.find((each) => chunks.length > 0 && each.streams?.(chunks[0]!));
  if (!format) return null;
  const call = { functionName: '', provider: '', request: { messages: [] }, positional: [], response: chunks };
  return readAs(format, call).output;
}

/** How the answer that a chunk belongs to is streamed; null for a chunk of no known format. */
export function streamFormatOf(chunk: JsonObject): StreamFormat | null {
  return FORMATS.find(({ stream }) => stream?.reads(chunk))?.stream ?? null;
}

function readAs(format: VendorFormat, call: NativeCall): NativeReading {
  const read = format.read(call);
  const args: JsonObject = read.readsPositional || call.positional.length === 0 ? {} : { args: call.positional };
  const isSilent = read.responseUnknown || outputText(read.output) === '';
  return {
    ...read,
    end: readEnd(call.response, isSilent),
    input: read.input.type === 'chat' ? { ...read.input, tools: withoutCredentials(read.input.tools) } : read.input,
    output: read.responseUnknown ? asText(call.response) : read.output,
    parameters: withoutCredentials({ ...read.parameters, ...args }),
  };
}

/** JavaScript clients take one object without a name. */
function toNativeCall({ functionName, provider, args, kwargs, response }: ReportedCall): NativeCall {
  const [first] = args;
  const inObject = Object.keys(kwargs).length === 0 && isObject(first);
  return {
    functionName,
    provider,
    request: inObject ? first : kwargs,
    positional: inObject ? args.slice(1) : args,
    response,
  };
}

function asText(response: JsonValue): NativeReading['output'] {
  return newChat([newMessage('assistant', null, [textPart(toText(withoutCredentials(response)))])]);
}
