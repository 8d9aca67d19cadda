import { defineDomain } from '../platform/domain.js';

defineDomain('llm', {
  holds: 'The vocabulary of prompts and messages; model providers, one file each',
  uses: [],
  vocabulary: true,
});
