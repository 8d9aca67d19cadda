import { defineDomain } from '../platform/domain.js';
import { ModelCredential } from './credentials/model-credential.entity.js';
import { LlmModule } from './llm.module.js';

defineDomain('llm', {
  holds:
    'The vocabulary of prompts, messages and recorded calls (`records/`); model providers, one file each; credentials and calls of models',
  uses: [],
  vocabulary: true,
  module: () => LlmModule,
  entities: [ModelCredential],
  tags: [
    {
      name: 'Model credentials',
      description: 'What a workspace calls the models of vendors, or of its own servers, with.',
      order: 165,
    },
  ],
});
