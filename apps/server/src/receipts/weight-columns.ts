/** What is long of a value, in bytes. What is stored as it is need not be written out to be weighed. */
const weightOf = <const Value extends string>(value: Value) =>
  `CASE WHEN pg_column_compression(${value}) IS NULL THEN coalesce(pg_column_size(${value}), 0)
    ELSE octet_length(${value}::text) END` as const

/** What is long of a row of `receipt`, in bytes. */
export const bytesOf = <const Row extends string>(row: Row) =>
  `${weightOf(`${row}.lines`)} + ${weightOf(`${row}.pricing`)} + ${weightOf(`${row}.metadata`)}` as const
