// export.h: marks what can be seen from outside libpinfold.so; everything else in it is hidden.
// Not here: the API itself.
#ifndef PINFOLD_EXPORT_H
#define PINFOLD_EXPORT_H

#define PINFOLD_API __attribute__((visibility("default")))

#endif
