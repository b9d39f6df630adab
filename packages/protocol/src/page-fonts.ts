/** Pages use the first supported family of a theme's `fontFamily`. */
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
