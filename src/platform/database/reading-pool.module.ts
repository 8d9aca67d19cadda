import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { LargeReads } from './large-reads.js';
import { ReadingPool } from './reading-pool.js';

@Global()
@Module({
  providers: [
    LargeReads,
    {
      provide: ReadingPool,
      inject: [DataSource, CONFIG],
      useFactory: (main: DataSource, config: Config) => ReadingPool.beside(main, config),
    },
  ],
  exports: [ReadingPool, LargeReads],
})
export class ReadingPoolModule {}
