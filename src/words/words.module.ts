import { Global, Module } from '@nestjs/common';
import { Vocabulary } from './vocabulary.js';

/** Global, because every indexer of words adds them to the `Vocabulary`. */
@Global()
@Module({ providers: [Vocabulary], exports: [Vocabulary] })
export class WordsModule {}
