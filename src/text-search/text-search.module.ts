import { type DynamicModule, Module } from '@nestjs/common';
import { MergedSegmentsSweep } from './merged-segments.sweep.js';
import { Vocabulary } from './words/vocabulary.js';

@Module({})
export class TextSearchModule {
  /** Global: whoever indexes words keeps them in the `Vocabulary`. */
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: TextSearchModule,
      global: true,
      providers: [Vocabulary, ...(works ? [MergedSegmentsSweep] : [])],
      exports: [Vocabulary],
    };
  }
}
