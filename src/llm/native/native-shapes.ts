import { withoutCredentials } from '../../platform/credentials.js';
import { outputText } from '../records/conversation.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { newMessage } from '../messages/messages.js';
import { textPart } from '../messages/parts.js';
import { toText } from '../messages/json-text.js';
import { anthropicCompletions } from './anthropic-completions.shape.js';
import { anthropicMessages } from './anthropic-messages.shape.js';
import { readEnd } from './answer-ends.js';
import { anyShape } from './any.shape.js';
import { bedrockConverse } from './bedrock-converse.shape.js';
import { cohere } from './cohere.shape.js';
import { googleContents } from './google.shape.js';
import { embeddings, madeMedia } from './made-things.shape.js';
import type { NativeCall, NativeReading, NativeShape } from './native-call.js';
import { openAiChat } from './openai-chat.shape.js';
import { openAiCompletions } from './openai-completions.shape.js';
import { openAiResponses } from './openai-responses.shape.js';
import { chat } from './reading.js';

/** The more certain a shape is of its calls, the earlier it stands. */
const SHAPES: NativeShape[] = [
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
  anyShape,
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
  const read = SHAPES.find((shape) => shape.reads(call))!.read(call);
  const args: JsonObject = read.tellsPositional || call.positional.length === 0 ? {} : { args: call.positional };
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
  return chat([newMessage('assistant', null, [textPart(toText(withoutCredentials(response)))])]);
}
