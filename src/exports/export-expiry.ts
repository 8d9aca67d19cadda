import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Sweep } from '../platform/queue/sweep.js';
import { expireOne, forgetExports } from './exports.queries.js';

/** Deletes the files of exports whose time has come, and later the exports. */
@Injectable()
export class ExportExpiry {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Sweep('export-expiry')
  async expire(): Promise<void> {
    while (await this.db.transaction(expireOne));
    await forgetExports(this.db.manager, this.config.exportRetentionDays);
  }
}
