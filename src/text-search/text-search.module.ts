import { type DynamicModule, Module } from '@nestjs/common';
import { MergedSegmentsSweep } from './merged-segments.sweep.js';
import { Vocabulary } from './words/vocabulary.js';

@Module({})
export class TextSearchModule {
  /** Global, because every indexer of words adds them to the `Vocabulary`. */
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: TextSearchModule,
      global: true,
      providers: [Vocabulary, ...(works ? [MergedSegmentsSweep] : [])],
      exports: [Vocabulary],
    };
  }
}
