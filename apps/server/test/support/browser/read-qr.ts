import jsqr from 'jsqr'
import type { Locator } from 'playwright-core'
import sharp from 'sharp'

export async function readQr(element: Locator): Promise<string | undefined> {
  return readQrImage(await element.screenshot())
}

export async function readQrImage(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const decode = jsqr as unknown as (
    data: Uint8ClampedArray,
    width: number,
    height: number,
  ) => { data: string } | null
  return decode(new Uint8ClampedArray(data), info.width, info.height)?.data
}
