/** The fonts of the pages: the first family of a theme's `fontFamily` that is one of these is used. */
export const pageFonts = [
  'Inter',
  'Roboto',
  'Open Sans',
  'Montserrat',
  'Nunito',
  'Poppins',
  'Lora',
  'Playfair Display',
] as const
