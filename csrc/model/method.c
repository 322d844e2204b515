/* The method of the articles. */
#include "base/status.h"
#include "vorton.h"

vt_status vt_article_method(vt_method *method)
{
    const vt_method article = {
        .struct_size = sizeof article,
#define VT_CHOICE(name, value, article, choices, description) .name = article,
#define VT_WHOLE(name, value, article, least, most, description) .name = article,
#define VT_NUMBER(name, value, article, least, most, description) .name = article,
#include "vorton/method.def"
    };
    return vti_hand_out(method, &article, sizeof article);
}
