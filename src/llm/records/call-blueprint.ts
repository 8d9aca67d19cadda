import { type ChatPrompt, type Message, newChat, newMessage, type Prompt } from '../shared/blueprint.js';
import type { JsonObject } from '../../platform/json.js';
import type { LlmCall } from './llm-call.js';

type Call = Pick<LlmCall, 'input' | 'output' | 'provider' | 'model' | 'parameters' | 'apiType'>;

/** A logged call in the shape of a registry prompt, with the answer as its last messages or content. */
export function toPromptBlueprint({ input, output, provider, model, parameters, apiType }: Call): JsonObject {
  const unused = { model_config_display_name: null, base_model: null };
  const blueprint = {
    prompt_template: conversation(input, output),
    commit_message: null,
    metadata: {
      model: {
        provider,
        name: model,
        ...unused,
        parameters,
        display_params: displayParameters(parameters),
        api_type: apiType,
      },
    },
    provider_base_url_name: null,
    report_id: null,
    inference_client_name: null,
    provider_id: null,
  };
  return blueprint as JsonObject;
}

/** The continuation of a completed text is added to its content; where one side is a chat, the whole is a chat. */
function conversation(input: Prompt, output: Prompt): object {
  if (input.type === 'completion' && output.type === 'completion') {
    return { ...input, content: [...input.content, ...output.content] };
  }
  const messages = [...messagesOf(input, 'user'), ...messagesOf(output, 'assistant')].map((message) => ({
    ...message,
    raw_request_display_role: message.role,
  }));
  const frame = input.type === 'chat' ? input : newChat([]);
  const listed = { messages, functions: frame.functions ?? [], tools: frame.tools ?? [] };
  return { dataset_examples: [], ...frame, ...listed } satisfies ChatPrompt & { dataset_examples: object[] };
}

function messagesOf(prompt: Prompt, role: Message['role']): Message[] {
  return prompt.type === 'chat' ? prompt.messages : [newMessage(role, null, prompt.content)];
}

/** Numbers become text, everything else stays unchanged, as in the existing API. */
function displayParameters(parameters: JsonObject): JsonObject {
  const shown = Object.entries(parameters).map(([key, value]) => [
    key,
    typeof value === 'number' || typeof value === 'bigint' ? String(value) : value,
  ]);
  return Object.fromEntries(shown) as JsonObject;
}
