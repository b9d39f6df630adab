import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)

/** A file as it is served, to those who take it compressed and to those who do not. */
export type Asset = {
  readonly type: string
  readonly body: Buffer
  /** None where the file is compressed already. */
  readonly gzip: Buffer | undefined
}

/** A text or a file with its compressed form. */
export async function compressed(type: string, content: string | Buffer): Promise<Asset> {
  const body = Buffer.from(content)
  return { type, body, gzip: await compress(body) }
}
