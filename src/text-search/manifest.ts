import { defineDomain } from '../platform/domain.js';
import { SearchDocument, SearchPostings, SearchSegment, SearchValues, SearchWordList } from './segments/entities.js';
import { TextSearchModule } from './text-search.module.js';
import { VocabularyReset, VocabularyWord } from './words/vocabulary.entity.js';

defineDomain('text-search', {
  holds: 'Indexes of documents: their words, exact values and numbers, and the answers to questions about them',
  uses: [],
  module: (process) => TextSearchModule.for(process),
  entities: [
    SearchSegment,
    SearchPostings,
    SearchWordList,
    SearchValues,
    SearchDocument,
    VocabularyReset,
    VocabularyWord,
  ],
});
