#include "state/simulation.h"
void vt_destroy_sources(vt_sources *s){(void)s;}
vt_status vt_plan_births(const vt_simulation *s,double a,double b,vt_arena *r,vt_births *o){(void)s;(void)a;(void)b;(void)r;memset(o,0,sizeof *o);return VT_OK;}
void vt_bear(vt_simulation *s, vt_births *b, double until){(void)s;(void)b;(void)until;}
vt_shape vt_default_shape(void){return (vt_shape){.kind=0,.axis={0,0,1},.radius=1,.size={1,1,1}};}
vt_ring_def vt_default_ring(void){return (vt_ring_def){.axis={0,0,1},.radius={1,1}};}
vt_emitter_def vt_default_emitter(void){return (vt_emitter_def){.rate=0};}
vt_status vt_add_ring(vt_simulation *s,const vt_ring_def*d){(void)s;(void)d;return VT_OK;}
vt_status vt_add_emitter(vt_simulation *s,const vt_emitter_def*d){(void)s;(void)d;return VT_OK;}
vt_status vt_shape_volume(const vt_shape*s,double*v){(void)s;*v=1;return VT_OK;}
