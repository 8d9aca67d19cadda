import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, IntegerField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { Storage, Used } from './storage.service.js';

const LimitField = (what: string) =>
  IntegerField({
    nullable: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    example: 10_000_000_000,
    description: `${what} that the workspace may have; null = as many as the installation allows every workspace.`,
  });

@Closed()
export class StorageLimitsRequest {
  @LimitField('Stored bytes')
  max_stored_bytes: number | null;

  @LimitField('Rows of sheets')
  max_rows: number | null;
}

class UsedBody {
  @IntegerField({ example: 1_250_000 })
  used: number;

  @IntegerField({ nullable: true, example: 10_000_000_000, description: 'null = no limit.' })
  limit: number | null;
}

class StorageBody {
  @ApiProperty({
    type: () => UsedBody,
    description:
      'Bytes as they are stored, of everything that the workspace has, without indexes of the database. They are counted every minute, and more rarely where counting takes longer than three seconds; what came since is added with the size of its requests, as far as the process that is asked received it. Deleted data count until the next count. 0 while nothing was counted: without a limit nothing is.',
  })
  stored_bytes: UsedBody;

  @ApiProperty({ type: () => UsedBody, description: 'Rows of sheets, deleted sheets left out.' })
  rows: UsedBody;

  @DateTimeField({ nullable: true, description: 'When the bytes were counted; null when they were not.' })
  counted_at: string | null;
}

export class StorageResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => StorageBody })
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
