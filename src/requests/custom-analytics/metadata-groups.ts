import type { EntityManager } from 'typeorm';
import type { ChartGroup } from '../../analytics/index.js';
import { metadataFacet, metadataFacetPrefix, metadataKeyFacet } from '../facets.js';
import { nestedMetadata } from '../../llm/records/nested-metadata.js';

/** How facets write what is too long for them. */
const HASHED = /^sha256:[\w-]{43}$/;

type Metadata = Record<string, string>;

/** The keys of the metadata and the paths inside values that are JSON, as the filter `metadata_keys` knows them. */
export function metadataKeyGroup(workspaceId: number): ChartGroup {
  const prefix = metadataKeyFacet(workspaceId, '');
  return {
    many: true,
    sql: (parameters) => afterPrefix(parameters.add(prefix)),
    labels: (tx, found) =>
      hashedLabels(tx, found, {
        workspaceId,
        prefix,
        textOf: (metadata, facet) => pathsOf(metadata).find((path) => metadataKeyFacet(workspaceId, path) === facet),
      }),
  };
}

/** The values of the metadata at a key, or at a path inside one whose value is JSON. */
export function metadataValueGroup(workspaceId: number, key: string): ChartGroup {
  const prefix = metadataFacetPrefix(workspaceId, key);
  return {
    many: true,
    sql: (parameters) => {
      const own = `${parameters.add(key)}::text`;
      const known = `ARRAY[${parameters.add(metadataKeyFacet(workspaceId, key))}::text]`;
      // Most keys are no paths, and reading one value is much cheaper than reading all facets.
      return (
        `CASE WHEN metadata ? ${own} THEN ARRAY[metadata ->> ${own}]` +
        ` WHEN facets @> ${known} THEN ${afterPrefix(parameters.add(prefix))} END`
      );
    },
    labels: (tx, found) =>
      hashedLabels(tx, found, {
        workspaceId,
        prefix,
        textOf: (metadata, facet) =>
          valuesAt(metadata, key).find((value) => metadataFacet(workspaceId, key, value) === facet),
      }),
  };
}

/** What follows a prefix in the facets of a log. */
function afterPrefix(placeholder: string): string {
  const prefix = `${placeholder}::text`;
  return `ARRAY(SELECT substr(facet, length(${prefix}) + 1) FROM unnest(facets) AS facet WHERE starts_with(facet, ${prefix}))`;
}

interface Hashed {
  workspaceId: number;
  prefix: string;
  /** What a facet of the log with this metadata is the hash of. */
  textOf: (metadata: Metadata, facet: string) => string | undefined;
}

/** The texts whose hashes were found, read from a log that has them. */
async function hashedLabels(
  tx: EntityManager,
  found: string[],
  { workspaceId, prefix, textOf }: Hashed,
): Promise<ReadonlyMap<string, string>> {
  const hashes = found.filter((value) => HASHED.test(value));
  if (hashes.length === 0) return new Map();
  const rows = await tx.query<{ hash: string; metadata: Metadata }[]>(
    `SELECT hash, log.metadata FROM unnest($2::text[]) AS hash CROSS JOIN LATERAL
       (SELECT metadata FROM request_logs WHERE workspace_id = $1 AND facets @> ARRAY[$3::text || hash] LIMIT 1) AS log`,
    [workspaceId, hashes, prefix],
  );
  return new Map(rows.map(({ hash, metadata }) => [hash, textOf(metadata, prefix + hash) ?? hash]));
}

function pathsOf(metadata: Metadata): string[] {
  return Object.entries(metadata).flatMap(([key, text]) => [key, ...nestedMetadata(key, text).paths]);
}

function valuesAt(metadata: Metadata, path: string): string[] {
  return Object.entries(metadata).flatMap(([key, text]) =>
    nestedMetadata(key, text)
      .values.filter(([at]) => at === path)
      .map(([, value]) => value),
  );
}
