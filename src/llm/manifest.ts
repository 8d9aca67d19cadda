import { defineDomain } from '../platform/domain.js';
import { ModelCredential } from './credentials/model-credential.entity.js';
import { placeOf } from './credentials/credential-store.js';
import { LlmModule } from './llm.module.js';

defineDomain('llm', {
  holds:
    'The vocabulary of prompts, messages and recorded calls; model providers, one file each; credentials and calls of models',
  uses: [],
  vocabulary: true,
  module: () => LlmModule,
  entities: [ModelCredential],
  secrets: [
    {
      what: 'credentials of models',
      table: 'model_credentials',
      column: 'secret',
      placeOf: ({ workspace_id: workspaceId }) => placeOf(Number(workspaceId)),
    },
  ],
  tags: [
    {
      name: 'Model credentials',
      description: 'API keys, addresses and limits for calls of models, those of vendors or of your own servers.',
      order: 165,
    },
  ],
});
