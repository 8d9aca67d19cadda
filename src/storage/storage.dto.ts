import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { DateTimeField, IntegerField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { Storage, Used } from './storage.service.js';

const LimitField = (what: string) =>
  IntegerField({
    nullable: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    example: 10_000_000_000,
    description: `${what} that the workspace may have. null: the limit of the installation, if it has one.`,
  });

@Closed()
export class StorageLimitsRequest {
  @LimitField('Stored bytes')
  max_stored_bytes: number | null;

  @LimitField('Rows of sheets')
  max_rows: number | null;
}

class UsedBody {
  @IntegerField({ description: 'How much of it the workspace has now.', example: 1_250_000 })
  used: number;

  @IntegerField({ nullable: true, example: 10_000_000_000, description: 'The most it may have; null for no limit.' })
  limit: number | null;
}

class StorageBody {
  @ApiProperty({
    type: () => UsedBody,
    description:
      'Bytes as stored, of everything the workspace has, without database indexes. Recounted about once a minute, more rarely if counting takes longer than three seconds; in between, the process that answers adds the size of requests it received. Deleted data counts until the next count. 0 if never counted: bytes are only counted where there is a limit.',
  })
  stored_bytes: UsedBody;

  @ApiProperty({ type: () => UsedBody, description: 'Rows of sheets, without deleted sheets.' })
  rows: UsedBody;

  @DateTimeField({ nullable: true, description: 'When the bytes were last counted; null if they never were.' })
  counted_at: string | null;
}

export class StorageResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => StorageBody, description: 'How much the workspace stores, and its limits.' })
  storage: StorageBody;
}

const toUsed = ({ used, limit }: Used): UsedBody => ({ used, limit });

export function toStorageResponse({ stored_bytes: stored, rows, countedAt }: Storage): StorageResponse {
  const storage = {
    stored_bytes: toUsed(stored),
    rows: toUsed(rows),
    counted_at: countedAt?.toISOString() ?? null,
  };
  return { success: true, storage };
}
