import { openAiCompatible } from '../calls/openai-client.js';
import type { ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { DEFAULT_API_TYPE, openAiKwargs, openAiParameterNames } from './openai-kwargs.js';

const SERVICE = openAiCompatible('https://api.openai.com/v1');

const ACCOUNT = {
  options: {
    organization: { description: 'The organization that calls are counted for.' },
    project: { description: 'The project that calls are counted for.' },
  },
};

@ModelProvider({ name: 'openai', defaultApiType: DEFAULT_API_TYPE, credential: ACCOUNT })
export class OpenAiProvider implements ModelProviderPlugin {
  readonly call = SERVICE.call;
  readonly stream = SERVICE.stream;
  readonly embed = SERVICE.embed;
  readonly toKwargs = openAiKwargs;
  readonly parameterNames = openAiParameterNames;
}
