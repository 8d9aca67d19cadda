import type { EntityManager } from 'typeorm';
import type { ChartGroup } from '../../charts/index.js';
import { metadataFacet, metadataFacetPrefix, metadataKeyFacet } from '../shared/facets.js';
import { nestedMetadata } from '../../llm/records/nested-metadata.js';

/** Facets of values that are too long. */
const HASHED = /^sha256:[\w-]{43}$/;

type Metadata = Record<string, string>;

/** Keys of the metadata and paths inside values that are JSON, in the form of the filter `metadata_keys`. */
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

/** Values of the metadata at a key, or at a path inside a value that is JSON. */
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

/** The facets of a log with this prefix, without the prefix. */
function afterPrefix(placeholder: string): string {
  const prefix = `${placeholder}::text`;
  return `ARRAY(SELECT substr(facet, length(${prefix}) + 1) FROM unnest(facets) AS facet WHERE starts_with(facet, ${prefix}))`;
}

interface Hashed {
  workspaceId: number;
  prefix: string;
  /** The text of the metadata whose hash is in the facet. */
  textOf: (metadata: Metadata, facet: string) => string | undefined;
}

/** The texts of these hashes, each read from a log that has it. */
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
