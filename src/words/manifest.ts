import { defineDomain } from '../platform/domain.js';
import { VocabularyReset, VocabularyWord } from './vocabulary.entity.js';
import { WordsModule } from './words.module.js';

defineDomain('words', {
  holds: 'The words of texts, queries for words, and the vocabulary of a workspace',
  uses: [],
  module: () => WordsModule,
  entities: [VocabularyReset, VocabularyWord],
});
