import { ApiProperty } from '@nestjs/swagger';
import { AuditFilterQuery } from '../administration/index.js';
import { SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, EnumField, IntegerField, TextField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { ChainHead } from './audit-chain.queries.js';
import { DOWNLOAD_TYPES, type DownloadFormat } from './audit-download.js';
import { AuditErrors } from './audit.errors.js';
import type { ChainPlace } from './chain-hash.js';
import { BREAKS, type ChainBreak } from './check-seals.js';
import type { KeptHead, Verification } from './verify-chain.js';

const HASH = /^[0-9a-fA-F]{64}$/;

@Closed()
export class VerifyAuditQuery {
  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Verify from this entry on: `verified.entry_id` of the call before, or the entry of a hash that you have kept. Requires `after_hash`.',
  })
  after_entry_id?: number;

  @TextField({ optional: true, query: true, pattern: HASH, description: 'The hash of that entry.' })
  after_hash?: string;
}

@Closed()
export class DownloadAuditQuery extends AuditFilterQuery {
  @EnumField(Object.keys(DOWNLOAD_TYPES), {
    optional: true,
    query: true,
    default: 'jsonl',
    description: '`jsonl`: a JSON object per line. `csv`: a line per entry, details as JSON text.',
  })
  format?: DownloadFormat;
}

export class ChainPlaceBody {
  @IntegerField({ description: 'The number of entries in the chain up to this one.', example: 3 })
  position: number;

  @IntegerField({ description: 'The id of the audit entry.', example: 7 })
  entry_id: number;

  @TextField({
    description: 'The hash of the entry in hexadecimal digits: SHA-256 over the entry and the hash before.',
    example: '0'.repeat(64),
  })
  hash: string;
}

export class ChainHeadBody extends ChainPlaceBody {
  @DateTimeField({ description: 'When the entry was sealed.' })
  sealed_at: string;
}

export class ChainBreakBody {
  @EnumField(BREAKS, {
    description:
      '`altered`: the entry or its hash was changed. `removed`: entries are missing. `inserted`: the entry was added between sealed ones. `truncated`: entries at the end are missing. `head_altered`: the head of the chain was changed. `head_unknown`: the chain does not have `after_hash`, so it was rewritten or truncated.',
  })
  kind: ChainBreak['kind'];

  @IntegerField({ description: 'The position at which the chain breaks.', example: 3 })
  position: number;

  @IntegerField({ nullable: true, description: 'The id of the audit entry; null if it is not known.', example: 7 })
  entry_id: number | null;
}

export class AuditVerificationResponse {
  @SuccessField()
  success: true;

  @BooleanField({ description: 'Whether all entries that were verified are as they were sealed.' })
  is_intact: boolean;

  @BooleanField({
    description:
      'Whether the end of the chain was reached. If not, call again with `after_entry_id` and `after_hash` from `verified`.',
  })
  is_complete: boolean;

  @ApiProperty({
    type: () => ChainHeadBody,
    nullable: true,
    description: 'The last sealed entry; null before the first. Keep its hash elsewhere to notice a rewritten chain.',
  })
  head: ChainHeadBody | null;

  @ApiProperty({
    type: () => ChainPlaceBody,
    nullable: true,
    description: 'The last entry up to which everything fits; null if there is none.',
  })
  verified: ChainPlaceBody | null;

  @IntegerField({ description: 'The number of entries that this call verified.' })
  verified_count: number;

  @IntegerField({ description: 'The number of these whose details were changed by an erasure of a person.' })
  erased_count: number;

  @IntegerField({ description: 'The number of entries that are not sealed yet. They are sealed within seconds.' })
  unsealed_count: number;

  @ApiProperty({
    type: () => ChainBreakBody,
    nullable: true,
    description: 'The first place at which the chain does not fit; null if it is intact.',
  })
  break: ChainBreakBody | null;
}

/** Throws audit_head_incomplete when only half of a head is given. */
export function toKeptHead({ after_entry_id: entryId, after_hash: hash }: VerifyAuditQuery): KeptHead | null {
  if (entryId === undefined && hash === undefined) return null;
  if (entryId === undefined || hash === undefined) throw AuditErrors.audit_head_incomplete();
  return { entryId, hash: Buffer.from(hash, 'hex') };
}

export function toVerificationBody(verification: Verification): AuditVerificationResponse {
  const { head, verified, verifiedCount, erasedCount, unsealedCount, isComplete, break: found } = verification;
  return {
    success: true,
    is_intact: found === null,
    is_complete: isComplete,
    head: head && head.position > 0 ? toHeadBody(head) : null,
    verified: verified.position > 0 ? toPlaceBody(verified) : null,
    verified_count: verifiedCount,
    erased_count: erasedCount,
    unsealed_count: unsealedCount,
    break: found && { kind: found.kind, position: found.position, entry_id: found.entryId },
  };
}

const toHeadBody = (head: ChainHead): ChainHeadBody => ({
  ...toPlaceBody(head),
  sealed_at: (head.sealedAt ?? new Date(0)).toISOString(),
});

const toPlaceBody = ({ position, entryId, hash }: ChainPlace): ChainPlaceBody => ({
  position,
  entry_id: entryId,
  hash: hash.toString('hex'),
});
