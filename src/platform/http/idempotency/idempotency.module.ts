import { Injectable, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../../queue/sweep.js';

/** Deletes stored answers after a day. */
@Injectable()
class IdempotencySweep {
  constructor(private readonly db: DataSource) {}

  @Sweep('idempotency-keys')
  async forget(): Promise<void> {
    await this.db.query(`DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'`);
  }
}

@Module({ providers: [IdempotencySweep] })
export class IdempotencyModule {}
